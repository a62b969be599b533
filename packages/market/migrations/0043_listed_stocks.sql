-- `stock_beacon` was true for listed stocks only; whether a token is listed is now a flag of its own.
update token_records set record = jsonb_set(
  jsonb_set(record, '{flags,listed_stock}', to_jsonb(record->>'kind' = 'stock')),
  '{stock_beacon}', coalesce(reading->'code'->'stockBeacon', 'null'::jsonb));

-- Unlisted tokens on the beacon are screened again at the start: their stored risks lack IMPERSONATOR.
update tokens set screened_at_s = null
where kind not in ('stock', 'core') and address in (
  select address from token_records where reading->'code'->>'stockBeacon' = 'true');
