"""leaf - the version, once: the wheel, the stamp and the page read it here."""

__version__ = "0.1.0"
