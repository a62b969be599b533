/** Addresses and hashes are stored and compared in lower case; checksums are for display. */
export const lower = (hex: string): `0x${string}` => hex.toLowerCase() as `0x${string}`
