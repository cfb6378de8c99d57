"""Files of published data sets, read whole or refused. Pure: no Django."""
