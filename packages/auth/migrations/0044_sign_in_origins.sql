-- Hash of the network of a wallet's last sign-in: strangers who name the wallet cannot push that network's challenge out.
alter table accounts add column signed_in_from text;
alter table challenges add column is_known boolean not null default false;
