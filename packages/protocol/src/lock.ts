import { errorRow } from './errors/pitError.ts'
import { ERRORS, type ErrorCode } from './errors/table.ts'
import { ROUTE_IDS, routeById } from './routes/table.ts'

/** The part of the contract that must not change: routes with method and path, codes with statuses. */
export type ContractLock = {
  routes: { [id: string]: { method: string; path: string; auth: string; status: number } }
  codes: { [code: string]: readonly number[] }
}

export function contractLock(): ContractLock {
  const routes = ROUTE_IDS.map((id) => {
    const { method, path, auth, status } = routeById(id)
    return [id, { method, path, auth, status }] as const
  })
  const codes = (Object.keys(ERRORS) as ErrorCode[]).map(
    (code) => [code, [...errorRow(code).statuses]] as const,
  )
  return { routes: Object.fromEntries(routes), codes: Object.fromEntries(codes) }
}

/** Removed or changed parts of a locked contract. Additions are allowed. */
export function lockBreaches(locked: ContractLock, current: ContractLock): string[] {
  const breaches: string[] = []
  for (const part of ['routes', 'codes'] as const) {
    for (const [name, was] of Object.entries(locked[part])) {
      const is = current[part][name]
      if (is === undefined) breaches.push(`${part}: ${name} vanished`)
      else if (JSON.stringify(is) !== JSON.stringify(was)) {
        breaches.push(`${part}: ${name} was ${JSON.stringify(was)}, is ${JSON.stringify(is)}`)
      }
    }
  }
  return breaches
}
