-- Whose challenges they are: a wallet's count per requesting network, so that no stranger pushes its owner's out.
-- A network is an IPv4 address or an IPv6 /64; a site is an IPv4 address or an IPv6 /48.
alter table challenges add column network text not null default '', add column site text not null default '';
