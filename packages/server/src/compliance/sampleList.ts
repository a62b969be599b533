import { StartRefused } from '@pit/platform/checkChain'
import type { ChainProfile } from '@pit/protocol'

/** Nobody's address: only the sample list in data/ has it. */
const SAMPLE_ADDRESS = '0x00000000000000000000000000000000bad0bad0'

/** The list that comes with the sources names next to nobody: on a real chain it would pass for compliance. */
export function refuseSampleList(
  { kind, name }: Pick<ChainProfile, 'kind' | 'name'>,
  { isSanctioned }: { isSanctioned(address: string): boolean },
): void {
  if (kind === 'devnet' || !isSanctioned(SAMPLE_ADDRESS)) return
  throw new StartRefused(
    `SANCTIONS_FILE is the sample, which lists next to nobody: on ${name} set it to the list in force, ` +
      'such as ' +
      'the US Treasury’s sdn.csv',
  )
}
