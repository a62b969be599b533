-- Plans that were answered, the transactions relayed for them, what they delivered and what they paid.

-- A plan is stored before it is answered, and deleted an hour after its deadline: what was relayed of it has a row of
-- its own.
create table plans (
  id int8 generated always as identity primary key,
  key_id int8 not null,
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  path text not null check (path in ('agent', 'session', 'hosted')),
  session_id text,
  execution text not null check (execution in ('router', 'curve', 'batch')),
  token_in text not null,
  token_out text not null,
  amount_in numeric(78, 0) not null check (amount_in > 0),
  amount_out_min numeric(78, 0) not null check (amount_out_min >= 0),
  fee_bps int4 not null check (fee_bps between 0 and 100),
  fee_class text not null check (fee_class in ('major', 'other')),
  fee_tier int4 not null,
  fee_side text not null check (fee_side in ('input', 'output')),
  fee_token text not null,
  -- Null where it is a portion of what comes out.
  fee_amount numeric(78, 0),
  fee_recipient text not null,
  -- A curve plan of two steps pays its fee by a transaction of its own, which goes first.
  fee_apart boolean not null,
  -- The dollars that count toward the volume tier are those of this token's side; null when no side is major.
  volume_token text,
  created_at_s int8 not null,
  deadline_s int8 not null
);
create index plans_deadline on plans (deadline_s);

-- A plan's transactions. `hash` is the keccak-256 of sender, target, value and calldata: nonce, gas and fees are the
-- wallet's own to choose. Of two plans with the same transaction (an approval) the newer counts.
create table plan_txs (
  key_id int8 not null,
  hash text not null check (hash ~ '^0x[0-9a-f]{64}$'),
  plan_id int8 references plans (id) on delete cascade,
  -- Approvals taken back belong to no trade: they carry no plan.
  kind text not null check (kind in ('approve', 'fee_transfer', 'swap', 'revoke')),
  step int4 not null,
  sender text not null,
  target text not null,
  value_wei numeric(78, 0) not null,
  data bytea not null,
  created_at_s int8 not null,
  expires_at_s int8 not null,
  primary key (key_id, hash)
);
create index plan_txs_plan on plan_txs (plan_id);
create index plan_txs_expiry on plan_txs (expires_at_s);

-- Every transaction relayed, and every call refused. Only swaps and refusals are trades to me/trades.
create table trades (
  id int8 generated always as identity primary key,
  kind text not null check (kind in ('approve', 'fee_transfer', 'swap', 'revoke')),
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  key_id int8 not null,
  path text not null check (path in ('agent', 'session', 'hosted', 'fast')),
  session_id text,
  -- relaying: written before the bytes leave. pending: the sequencer took them, or may have.
  status text not null check (status in ('relaying', 'pending', 'mined', 'reverted', 'dropped', 'refused')),
  code text,
  token_in text,
  token_out text,
  amount_in numeric(78, 0),
  amount_out numeric(78, 0),
  amount_out_kind text check (amount_out_kind in ('actual', 'minimum')),
  amount_out_min numeric(78, 0),
  tx_hash text unique check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  signer text,
  nonce int8,
  -- What was agreed: the ledger is written from it.
  fee_bps int4,
  fee_class text,
  fee_tier int4,
  fee_side text,
  fee_token text,
  fee_amount numeric(78, 0),
  fee_recipient text,
  -- A curve swap's fee travels in a transaction of its own, which pays for one swap only.
  fee_apart boolean not null default false,
  fee_tx_hash text,
  volume_token text,
  -- Millionths of a dollar, at the mark of its minute; null until mined and priced.
  volume_micro_usd numeric(30, 0),
  block int8,
  block_hash text,
  mined_at_s int8,
  created_at_ms int8 not null,
  -- Its block was looked at again after a while, or it was given up for good: nothing changes it any more.
  settled boolean not null default false
);
create index trades_wallet on trades (wallet, id desc);
create index trades_open on trades (id) where status in ('relaying', 'pending');
-- What may still change: a block looked at again, a transaction given up that lands after all.
create index trades_unsettled on trades (mined_at_s) where status in ('mined', 'reverted') and not settled;
create index trades_given_up on trades (id)
  where status in ('dropped', 'refused') and not settled and tx_hash is not null;
-- Refused calls are deleted after a while: they were never signed.
create index trades_refused on trades (created_at_ms) where status = 'refused' and tx_hash is null;
-- And only the newest of a wallet are kept.
create index trades_refused_wallet on trades (wallet, id desc) where status = 'refused' and tx_hash is null;
create index trades_unvalued on trades (id)
  where status = 'mined' and volume_token is not null and volume_micro_usd is null;
-- A swap that reverted, was refused or is gone for good leaves its fee to the next try.
create unique index trades_fee_once on trades (fee_tx_hash)
  where status in ('relaying', 'pending', 'mined') or (status = 'dropped' and not settled);
create index trades_volume on trades (wallet, mined_at_s) include (volume_micro_usd)
  where volume_micro_usd is not null;

-- What reached the fee recipient by a relayed transaction, to the atom. The treasury reads it by week.
create table fees (
  trade_id int8 primary key references trades (id),
  token text not null,
  atoms numeric(78, 0) not null check (atoms >= 0),
  side text not null check (side in ('input', 'output')),
  bps int4 not null,
  class text not null,
  recipient text not null,
  tx_hash text not null,
  block int8 not null,
  block_time_s int8 not null,
  -- Monday 00:00 UTC.
  week_start_s int8 not null
);
create index fees_week on fees (week_start_s, token);
