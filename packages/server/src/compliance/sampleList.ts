import { StartRefused } from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'

/** A marker address that only the sample list in data/ contains. */
const SAMPLE_ADDRESS = '0x00000000000000000000000000000000bad0bad0'

/** The bundled list is nearly empty: on a real chain it would only look like compliance. */
export function refuseSampleList(
  { kind, name }: Pick<ChainProfile, 'kind' | 'name'>,
  { isSanctioned }: { isSanctioned(address: string): boolean },
): void {
  if (kind === 'devnet' || !isSanctioned(SAMPLE_ADDRESS)) return
  throw new StartRefused(
    `SANCTIONS_FILE is the nearly empty sample: on ${name} set it to the list in force, ` +
      'such as ' +
      'the US Treasury’s sdn.csv',
  )
}
