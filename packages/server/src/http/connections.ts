import { networksOf } from './clientAddress.ts'

/** Counts open connections by the networks they come from: nobody holds all that the server can keep. */
export function createConnectionCount(maxPerAddress: number) {
  const open = new Map<string, number>()
  return {
    /** False, and not counted, when a network of the address has all it may. */
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
