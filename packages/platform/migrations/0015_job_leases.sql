-- One process of many runs a job at a time. A lease whose time is over is free.
create table job_leases (
  name text primary key,
  held_by text not null,
  until_ms int8 not null
);
