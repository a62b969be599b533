/** A network that sign-ins are counted by. Caps are divided by `cost`. */
export interface SignInNetwork {
  id: string
  cost: number
}

/** The client of a sign-in. */
export interface SignInClient {
  /** The client's networks, the narrowest first. */
  networks: readonly [SignInNetwork, ...SignInNetwork[]]
  /** Draws from the rate limit of all sign-ins; throws RATE_LIMITED. */
  admit(): Promise<void>
}
