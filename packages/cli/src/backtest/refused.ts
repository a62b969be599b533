/** A failure the user can fix; only its message is printed. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
}
