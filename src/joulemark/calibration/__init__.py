"""What a machine draws when it does nothing, power against load, and the wall from the devices.

Entries: ``calibrate`` (`calibrate` by a `CalibrationPlan`), ``store`` (`save`, `held`, `remove`), ``on_file``
(`baselines_for`: what a run takes from the calibrations kept), ``restore`` (`leftover`, `restore`).
"""
