-- What a signed order pays, so that its row in the log says so whichever worker writes it.
alter table hosted_orders add column fee_bps int4, add column fee_class text, add column fee_tier int4;
