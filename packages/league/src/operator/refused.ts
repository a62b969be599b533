/** An operator's request that is refused; the message gives the reason. */
export class LeagueRefused extends Error {
  override readonly name = 'LeagueRefused'
}
