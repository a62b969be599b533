/** An operator's request that cannot be done; the message says why. */
export class LeagueRefused extends Error {
  override readonly name = 'LeagueRefused'
}
