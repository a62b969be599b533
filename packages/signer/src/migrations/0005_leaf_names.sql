-- A trade that its caller named is co-signed once: asked for again by that name, the same leaf is signed again.
-- execution_hash is of a curve trade's fee too, after its calldata: a name stands for one call and one fee.
alter table leaves add column client_id text;
create unique index leaves_by_client on leaves (root_hash, client_id) where client_id is not null;

-- As before, and a name is counted once under its root.
drop function count_leaves(
  text[], int4[], int8[], boolean[], boolean[], int4[], int8[], int4[], text[], text[], int8, int8);
create function count_leaves(
  -- Each root once, and of each ask which of them it is for.
  root_hashes text[], ask_roots int4[],
  -- Null: it could not be valued. False: it failed before the ledger was asked.
  ask_micro_usd int8[], ask_passes boolean[], ask_touches_stock boolean[],
  -- What the owner signed. Null sequence: whichever comes next.
  ask_max_trades int4[], ask_max_day int8[], ask_sequences int4[],
  -- Null client id: its caller did not name it.
  ask_execution_hashes text[], ask_call_nonces text[], ask_client_ids text[],
  at_ms int8, day_ms int8
) returns table (
  known boolean, frozen boolean, revoked boolean, hosted boolean, closed boolean, attested boolean, replayed boolean,
  named boolean,
  -- Before this ask.
  last_sequence int4, day_micro_usd int8,
  counted boolean
) language plpgsql as $$
declare
  is_frozen boolean;
  found_known boolean[]; found_revoked boolean[]; found_hosted boolean[]; found_closed boolean[];
  found_attested boolean[];
  sequences int4[]; days int8[];
  used_nonces text[];
  -- Root and client id, with a space between.
  used_names text[] := '{}';
  new_roots text[] := '{}'; new_sequences int4[] := '{}'; new_micro_usd int8[] := '{}';
  new_execution_hashes text[] := '{}'; new_call_nonces text[] := '{}'; new_client_ids text[] := '{}';
  r int4;
begin
  perform 1 from roots where hash = any (root_hashes) order by hash for update;
  -- A freeze waits for what is under way, and what comes after it sees it.
  select state.frozen into is_frozen from state where id = 1 for share;
  select
    array_agg(roots.hash is not null order by n),
    array_agg(exists (select from revocations where root_hash = given.hash) order by n),
    array_agg(executors.address is not null order by n),
    array_agg(executors.closed_at_ms is not null order by n),
    array_agg(exists (select from stock_attestations s where s.executor = executors.address
      and s.root_hash = given.hash and s.signature is not null and s.revoked_at_ms is null
      and s.expires_s * 1000 > at_ms) order by n),
    array_agg(coalesce(roots.sequence, 0) order by n),
    array_agg((select coalesce(sum(l.micro_usd), 0)::int8 from leaves l
      where l.root_hash = given.hash and l.signed_at_ms > at_ms - day_ms) order by n)
  into found_known, found_revoked, found_hosted, found_closed, found_attested, sequences, days
  from unnest(root_hashes) with ordinality as given (hash, n)
    left join roots on roots.hash = given.hash
    left join executors on executors.address = roots.executor;
  select coalesce(array_agg(call_nonce), '{}') into used_nonces
    from leaves where call_nonce = any (ask_call_nonces);
  if array_remove(ask_client_ids, null) <> '{}' then
    select coalesce(array_agg(root_hash || ' ' || client_id), '{}') into used_names
      from leaves where root_hash = any (root_hashes) and client_id = any (ask_client_ids);
  end if;

  for i in 1 .. cardinality(ask_roots) loop
    r := ask_roots[i];
    known := found_known[r];
    frozen := is_frozen;
    revoked := found_revoked[r];
    hosted := found_hosted[r];
    closed := found_closed[r];
    attested := found_attested[r];
    replayed := ask_call_nonces[i] = any (used_nonces);
    named := coalesce(root_hashes[r] || ' ' || ask_client_ids[i] = any (used_names), false);
    last_sequence := sequences[r];
    day_micro_usd := days[r];
    counted := known and ask_passes[i] and ask_micro_usd[i] is not null and not replayed and not named
      and not frozen and not revoked and not closed
      and not (ask_touches_stock[i] and hosted and not attested)
      and last_sequence < ask_max_trades[i]
      and coalesce(ask_sequences[i], last_sequence + 1) = last_sequence + 1
      and day_micro_usd + ask_micro_usd[i] <= ask_max_day[i];
    if counted then
      sequences[r] := last_sequence + 1;
      days[r] := day_micro_usd + ask_micro_usd[i];
      used_nonces := used_nonces || ask_call_nonces[i];
      if ask_client_ids[i] is not null then
        used_names := used_names || (root_hashes[r] || ' ' || ask_client_ids[i]);
      end if;
      new_roots := new_roots || root_hashes[r];
      new_sequences := new_sequences || sequences[r];
      new_micro_usd := new_micro_usd || ask_micro_usd[i];
      new_execution_hashes := new_execution_hashes || ask_execution_hashes[i];
      new_call_nonces := new_call_nonces || ask_call_nonces[i];
      new_client_ids := array_append(new_client_ids, ask_client_ids[i]);
    end if;
    return next;
  end loop;

  if cardinality(new_roots) > 0 then
    insert into leaves (root_hash, sequence, micro_usd, signed_at_ms, execution_hash, call_nonce, client_id)
      select root_hash, sequence, micro_usd, at_ms, execution_hash, call_nonce, client_id
      from unnest(new_roots, new_sequences, new_micro_usd, new_execution_hashes, new_call_nonces, new_client_ids)
        as given (root_hash, sequence, micro_usd, execution_hash, call_nonce, client_id);
    update roots set sequence = given.sequence
      from unnest(root_hashes, sequences) as given (hash, sequence)
      where roots.hash = given.hash and roots.sequence <> given.sequence;
  end if;
end $$;
