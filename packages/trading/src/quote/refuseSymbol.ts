import { type CoreToken, fail } from '@pit/protocol'

/** Only such text is repeated in a message. */
const PLAIN = /^[\w.$+-]{1,32}$/

/** A name that is neither an address nor a core symbol: says which there are, and where to find the rest. */
export function refuseSymbol(core: readonly Pick<CoreToken, 'symbol'>[], field: string, text: string): never {
  const symbols = core.map(({ symbol }) => symbol)
  const said = PLAIN.test(text) ? text : undefined
  const meant = symbols.find((symbol) => symbol.toLowerCase() === text.trim().toLowerCase())
  const message =
    `\`${field}\`: ${said ?? 'this'} is no core symbol; they are ${symbols.join(', ')}, and case matters` +
    `${meant === undefined ? '' : ` (${meant}?)`}. ` +
    `Name any other token by its address: GET tokens?q=${said ?? 'name'} finds it.`
  return fail('TOKEN_NOT_ALLOWED', { field, message })
}
