import { addressSaid, getter, same, sayAll, textSaid } from './asking.ts'
import { ASK_AGAIN, type Examination, type Finding, fail, ok, unknown } from './types.ts'

/** Checks that the delegation framework is the version that sessions are built for. */
export const examineDelegation: Examination = async (deps) => {
  const { version, delegation_manager, stateless_delegator } = deps.profile.delegation
  const [managerSaid, delegatorSaid, managerOf] = await sayAll(deps, [
    getter(delegation_manager, 'VERSION()'),
    getter(stateless_delegator, 'VERSION()'),
    getter(stateless_delegator, 'delegationManager()'),
  ])
  if (managerSaid === undefined) return [unknown('delegation', 'no answer from the node', ASK_AGAIN)]
  const findings: Finding[] = []
  for (const [name, said] of [
    ['delegation_manager', managerSaid],
    ['stateless_delegator', delegatorSaid],
  ] as const) {
    const reported = textSaid(said)
    if (reported !== version)
      findings.push(
        fail(
          `${name} version`,
          reported ?? 'no version reported',
          `Set the address of the ${version} contract.`,
        ),
      )
  }
  const manager = addressSaid(managerOf)
  if (!same(manager, delegation_manager))
    findings.push(
      fail(
        'stateless_delegator',
        `its manager is ${manager}`,
        'Set the delegator that belongs to this manager.',
      ),
    )
  return findings.length > 0 ? findings : [ok('delegation', `framework ${version}`)]
}
