/** Who stands behind an entry, as the registry and the chain say. Lower-case addresses. */
export interface Party {
  entryId: number
  /** Trading wallet and owner. Both signed for the entry: nobody else can put them here. */
  own: readonly string[]
  /** Agent wallet and beneficiary. The registry's record names them without asking them. */
  named: readonly string[]
  /** Who got the agent's token from an own address, and who sent it to one. */
  sentTo: readonly string[]
  gotFrom: readonly string[]
  /** Who sent it to, or got it from, an address that is only named. */
  namedPartners: readonly string[]
  /** Who first funded the own addresses, and those only named. */
  funders: readonly string[]
  namedFunders: readonly string[]
}
