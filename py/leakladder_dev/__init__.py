"""Development only, outside the wheel: builds and measures the model asset."""
