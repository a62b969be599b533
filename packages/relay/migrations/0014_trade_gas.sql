-- What a transaction cost its signer, as the receipt shows that its outcome was read from; null where it did not say, and
-- for those mined before this was kept.
alter table trades add column gas_wei numeric(78, 0);
