/** The addresses behind an entry, from the registry and the chain, in lower case. */
export interface Party {
  entryId: number
  /** Trading wallet and owner. Both signed for the entry, so no one else can list them. */
  own: readonly string[]
  /** Agent wallet and beneficiary. The registry names them without their consent. */
  named: readonly string[]
  /** Receivers of the agent's token from an own address, and senders to one. */
  sentTo: readonly string[]
  gotFrom: readonly string[]
  /** Senders to and receivers from an address that is only named. */
  namedPartners: readonly string[]
  /** First funders of the own addresses, and of those only named. */
  funders: readonly string[]
  namedFunders: readonly string[]
}
