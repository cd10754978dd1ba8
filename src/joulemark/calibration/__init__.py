"""What a machine draws when it does nothing, power against load, and the wall from the devices."""
