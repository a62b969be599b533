import { Errors } from '@sinclair/typebox/errors'
import { type BindingFault, boundControls, boundMarks, limitFaults } from './binding.ts'
import { BINDING_SCHEMAS, type SessionBinding, type SessionBindingV3 } from './bindingSchema.ts'
import { FEE } from './numbers.ts'

export type ReadBinding = { ok: true; binding: SessionBinding } | ({ ok: false } & BindingFault)

/**
 * Any version ever granted, in its one spelling; what breaks a rule is named. Its end is judged by
 * `expiryFaults`.
 */
export function readBinding(value: unknown): ReadBinding {
  const version = (value as { version?: unknown } | null)?.version
  const schema = version === 1 || version === 2 || version === 3 ? BINDING_SCHEMAS[version] : undefined
  if (!schema) return { ok: false, field: 'version', message: 'is none that was ever granted' }
  const error = Errors(schema, value).First()
  if (error) {
    const field = error.path.slice(1).replaceAll('/', '.').slice(0, 80)
    return { ok: false, field, message: error.message }
  }
  const binding = value as SessionBinding
  const [fault] = bindingFaults(binding)
  return fault ? { ok: false, ...fault } : { ok: true, binding }
}

function bindingFaults(binding: SessionBinding): BindingFault[] {
  const { wallet, executor, cosigner, router, tokens, limits, fee } = binding
  const faults = limitFaults(limits)
  const say = (bad: boolean, field: string, message: string) => bad && faults.push({ field, message })
  const lists: [string, readonly string[]][] = [['tokens', tokens]]
  if (binding.version > 1) lists.push(['risk.accept_risks', (binding as SessionBindingV3).risk.accept_risks])
  if (binding.version === 2) lists.push(['unverified_tokens', binding.unverified_tokens])
  if (binding.version === 3) {
    lists.push(['risk.policies', binding.risk.policies])
    lists.push(['marks', boundMarks(binding).map(({ token }) => token)])
  }
  for (const [field, items] of lists) say(!isSorted(items), field, 'must be sorted, each once')
  say(executor === wallet, 'executor', 'may not be the wallet')
  say(executor === cosigner, 'executor', 'may not be the co-signer')
  say(cosigner === wallet, 'cosigner', 'may not be the wallet')
  say([wallet, executor, cosigner].includes(router), 'router', 'must be a separate contract')
  if (binding.version === 2) {
    const stray = binding.unverified_tokens.some((token) => !tokens.includes(token))
    say(stray, 'unverified_tokens', 'must be among the tokens')
  }
  const marked = boundMarks(binding).map(({ token }) => token)
  say(
    marked.some((token) => !tokens.includes(token)),
    'marks',
    'must be of the tokens',
  )
  const falls = boundControls(binding)?.breakers?.map((one) => one.max_fall_micro_usd) ?? []
  say(
    falls.some((fall, i) => i > 0 && fall <= falls[i - 1]!),
    'controls.breakers',
    'must be sorted by max_fall_micro_usd, each once',
  )
  if (fee.schedule === 2) {
    say(fee.major_min_bps > fee.major_max_bps, 'fee.major_min_bps', 'is above major_max_bps')
    const most = Math.max(fee.major_max_bps, fee.other_bps) + fee.shield_add_bps
    say(most > FEE.maxBps, 'fee', `is more than ${FEE.maxBps} bps with shield`)
  }
  return faults
}

const isSorted = (items: readonly string[]): boolean =>
  items.every((item, i) => i === 0 || (items[i - 1] as string) < item)
