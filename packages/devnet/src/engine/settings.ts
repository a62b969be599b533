import type { Entry } from './entries.ts'
import type { EngineSettings } from './image.ts'
import type { Hex } from './types.ts'

/** The settings after an entry. */
export function settingsAfter(settings: EngineSettings, entry: Entry): EngineSettings {
  if (entry.kind === 'clock') return { ...settings, timeOffsetS: entry.timeOffsetS }
  if (entry.kind !== 'admin') return settings
  const [first] = entry.params as [Hex]
  const others = settings.impersonated.filter((address) => address !== String(first).toLowerCase())
  switch (entry.method) {
    case 'hardhat_setCoinbase':
      return { ...settings, coinbase: first }
    case 'evm_setBlockGasLimit':
      return { ...settings, blockGasLimit: BigInt(first).toString() }
    case 'hardhat_impersonateAccount':
      return { ...settings, impersonated: [...others, first.toLowerCase() as Hex] }
    case 'hardhat_stopImpersonatingAccount':
      return { ...settings, impersonated: others }
    default:
      return settings
  }
}
