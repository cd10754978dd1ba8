"""The sampler process, the timeline, and energy between two instants."""
