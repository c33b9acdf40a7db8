"""Files of events: what is in them (`shape`), tables (`tables`), tournament report files (`trf`), names (`names`)."""
