-- Keys of hosted agents' executors, what they signed, what their owners attested, and their gas going home.

-- What seals the executors' keys, itself sealed by the passphrase as the co-signer's key is.
create table executor_vault (
  id int2 primary key check (id = 1),
  sealed jsonb not null
);

create table executors (
  address text primary key check (address ~ '^0x[0-9a-f]{40}$'),
  agent_id text not null,
  -- Who alone may grant to it and is paid its gas back; never changes.
  owner text not null check (owner ~ '^0x[0-9a-f]{40}$'),
  -- AES-256-GCM under the vault's key: iv, tag, data.
  sealed_key bytea not null,
  -- The co-signer's, of executorAttestationText.
  attestation_signature text not null,
  created_at_ms int8 not null,
  -- For good.
  closed_at_ms int8,
  -- Of the call that asked for it: the same call again is none.
  call_nonce text not null unique
);
create index executors_by_owner on executors (owner);
create index executors_by_agent on executors (agent_id);

-- One nonce for each leaf: what is signed for it again replaces it and never adds to it.
create table executor_txs (
  root_hash text not null,
  sequence int4 not null,
  executor text not null references executors (address),
  nonce int8 not null,
  signed_at_ms int8 not null,
  primary key (root_hash, sequence),
  foreign key (root_hash, sequence) references leaves (root_hash, sequence) on delete cascade
);

-- The owner's last word on stock tokens; a row without a signature is a word taken back before any was given.
create table stock_attestations (
  executor text primary key references executors (address),
  agent_id text not null,
  session_id text,
  root_hash text,
  issued_s int8,
  expires_s int8,
  signature text,
  accepted_at_ms int8,
  revoked_at_ms int8
);
create index stock_attestations_by_agent on stock_attestations (agent_id);

-- Each is kept before it is answered, so that asking again gives the same bytes.
create table refunds (
  executor text not null references executors (address),
  nonce int8 not null,
  to_wallet text not null,
  value_wei numeric(78, 0) not null check (value_wei > 0),
  balance_wei numeric(78, 0) not null,
  gas int8 not null,
  max_fee_per_gas numeric(78, 0) not null,
  raw text not null,
  tx_hash text not null unique,
  signed_at_ms int8 not null,
  primary key (executor, nonce)
);

-- What ended long ago is swept.
create index roots_by_end on roots (((binding ->> 'expires_at')::int8));
create index revocations_by_time on revocations (revoked_at_ms);
