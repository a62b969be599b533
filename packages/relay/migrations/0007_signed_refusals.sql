-- What was signed and the sequencer refused is deleted after a while too, once nobody looks for it any more.
create index trades_signed_refused on trades (created_at_ms)
  where status = 'refused' and settled and tx_hash is not null;
-- And only the newest of a wallet are kept.
create index trades_signed_refused_wallet on trades (wallet, id desc)
  where status = 'refused' and settled and tx_hash is not null;
