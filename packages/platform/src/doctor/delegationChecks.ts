import { addressSaid, getter, same, sayAll, textSaid } from './asking.ts'
import { ASK_AGAIN, type Examination, type Finding, fail, ok, unknown } from './types.ts'

/** The framework is of the version whose typed data and enforcers sessions are made of. */
export const examineDelegation: Examination = async (deps) => {
  const { version, delegation_manager, stateless_delegator } = deps.profile.delegation
  const [managerSaid, delegatorSaid, managerOf] = await sayAll(deps, [
    getter(delegation_manager, 'VERSION()'),
    getter(stateless_delegator, 'VERSION()'),
    getter(stateless_delegator, 'delegationManager()'),
  ])
  if (managerSaid === undefined) return [unknown('delegation', 'the node does not say', ASK_AGAIN)]
  const found: Finding[] = []
  for (const [name, said] of [
    ['delegation_manager', managerSaid],
    ['stateless_delegator', delegatorSaid],
  ] as const) {
    const told = textSaid(said)
    if (told !== version)
      found.push(
        fail(`${name} version`, told ?? 'it tells none', `Name the contract of framework ${version}.`),
      )
  }
  const manager = addressSaid(managerOf)
  if (!same(manager, delegation_manager))
    found.push(
      fail('stateless_delegator', `its manager is ${manager}`, 'Name the delegator of this manager.'),
    )
  return found.length > 0 ? found : [ok('delegation', `framework ${version}`)]
}
