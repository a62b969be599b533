import { type Address, NATIVE } from '@pit/chain'
import { etherText, groupedText } from '@pit/protocol'
import { refuse } from './errors.ts'
import type { Pins } from './pins.ts'

/** Something an address holds too little of; amounts in atoms. */
export interface Shortage {
  token: string
  have: string | null
  need: string | null
}

/** Refuses with what is lacking in whole tokens, and where to send it. */
export function refuseUnfunded(
  pins: Pick<Pins, 'tokens'>,
  holder: Address,
  lacking: readonly Shortage[],
  plan?: unknown,
): never {
  const texts = lacking.map(({ token, have, need }) => {
    const [held, needed] = [BigInt(have ?? 0), BigInt(need ?? 0)]
    const text = (atoms: bigint) => amountText(pins, token.toLowerCase() as Address, atoms)
    return `${holder} holds ${text(held)} and needs ${text(needed)}; send at least ${text(needed - held)} to it`
  })
  return refuse('INSUFFICIENT_FUNDS', texts.join('; '), { holder, missing: lacking, plan })
}

/** Whole tokens with their symbol; atoms and the address of a token the pins do not know. */
function amountText({ tokens }: Pick<Pins, 'tokens'>, token: Address, atoms: bigint): string {
  if (token === NATIVE) return etherText(atoms)
  const info = tokens.get(token)
  return info ? `${groupedText(atoms, info.decimals)} ${info.core ?? token}` : `${atoms} atoms of ${token}`
}
