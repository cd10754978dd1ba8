"""What a machine draws when it does nothing, how power follows load, and how wall power follows the devices."""
