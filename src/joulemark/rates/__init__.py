"""What energy costs and what the grid emits: from words and files to rates with their sources.

Entries: ``declared`` (DeclaredRates, rates_of, resumed_rates, zone_intensity), ``series`` (files of rates
that change with time), ``time_of_use`` (a tariff by days and hours), ``token_prices``. No run is known here.
"""
