-- How far each process's clock was ahead of the store's when it was last seen; null of a version before this.
alter table processes add column clock_off_ms int8;
