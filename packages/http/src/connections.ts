import { networksOf } from './clientAddress.ts'

/** Counts open connections by network, so that no client can use up all of the server's. */
export function createConnectionCount(maxPerAddress: number) {
  const open = new Map<string, number>()
  return {
    /** False, without counting, if a network of the address is at its limit. */
    enter(address: string): boolean {
      const networks = networksOf(address)
      if (networks.some(({ id, cost }) => ((open.get(id) ?? 0) + 1) * cost > maxPerAddress)) return false
      for (const { id } of networks) open.set(id, (open.get(id) ?? 0) + 1)
      return true
    },
    leave(address: string): void {
      for (const { id } of networksOf(address)) {
        const left = (open.get(id) ?? 0) - 1
        if (left > 0) open.set(id, left)
        else open.delete(id)
      }
    },
  }
}
