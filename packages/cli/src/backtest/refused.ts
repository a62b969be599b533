/** What a person can do something about: its message is all they are shown. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
}
