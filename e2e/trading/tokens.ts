import type { Hex } from '@pit/chain'
import type { DevnetProcess } from '../devnetProcess.ts'

interface Info {
  gallery: Record<string, { address: Hex }>
  long_tail: { address: Hex; curve?: Hex; pairs: string[]; graduated?: boolean }[]
}
/** Tokens by address that the stories trade; all lower-case. */
export interface StoryTokens {
  /** A gallery token, by its fault. */
  specimen(name: string): Hex
  /** A token that is still sold by its curve. */
  onCurve(pair: 'ETH' | 'USDG'): Hex
}

export async function readStoryTokens(devnet: DevnetProcess): Promise<StoryTokens> {
  const { gallery, long_tail } = await devnet.rpc<Info>('devnet_info')
  const lower = (address: string) => address.toLowerCase() as Hex
  return {
    specimen: (name) => lower(gallery[name]!.address),
    onCurve: (pair) =>
      lower(long_tail.find((one) => one.curve && !one.graduated && one.pairs[0] === pair)!.address),
  }
}
