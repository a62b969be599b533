import { type CoreToken, fail } from '@pit/protocol'

/** Only text of this form is repeated in a message. */
const PLAIN = /^[\w.$+-]{1,32}$/

/** Refuses a name that is neither an address nor a core symbol, with the valid symbols and where to search. */
export function refuseSymbol(core: readonly Pick<CoreToken, 'symbol'>[], field: string, text: string): never {
  const symbols = core.map(({ symbol }) => symbol)
  const safeText = PLAIN.test(text) ? text : undefined
  const match = symbols.find((symbol) => symbol.toLowerCase() === text.trim().toLowerCase())
  const message =
    `\`${field}\`: ${safeText === undefined ? 'unknown token' : `unknown token "${safeText}"`}. ` +
    `${match === undefined ? '' : `Did you mean ${match}? `}Core symbols (case-sensitive): ${symbols.join(', ')}. ` +
    `Name any other token by its address; GET tokens?q=${safeText ?? 'name'} finds it.`
  return fail('TOKEN_NOT_ALLOWED', { field, message })
}
