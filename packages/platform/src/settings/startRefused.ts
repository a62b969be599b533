/** A process cannot start with this configuration; the message says what to change. */
export class StartRefused extends Error {}
