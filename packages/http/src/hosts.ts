/** Accepted Host headers: PUBLIC_URL's, loopback names, and those of ALLOWED_HOSTS. */
export function createHosts({
  publicUrl,
  allowedHosts,
}: {
  publicUrl: string
  allowedHosts: readonly string[]
}): (host: string | undefined) => boolean {
  if (allowedHosts.includes('*')) return (host) => host !== undefined && hostName(host) !== null
  const names = new Set(['localhost', '127.0.0.1', '[::1]', new URL(publicUrl).hostname.toLowerCase()])
  for (const allowed of allowedHosts) {
    const name = hostName(allowed)
    if (name === null) throw new Error(`ALLOWED_HOSTS: "${allowed}" is not a host`)
    names.add(name)
  }
  // Cached, because clients repeat their Host; bounded, because anyone can send any name.
  const verdicts = new Map<string, boolean>()
  return (host) => {
    if (host === undefined) return false
    let isOwn = verdicts.get(host)
    if (isOwn === undefined) {
      const name = hostName(host)
      isOwn = name !== null && names.has(name)
      if (verdicts.size < 256) verdicts.set(host, isOwn)
    }
    return isOwn
  }
}

/** The name without its port, in lower case; null if malformed. */
function hostName(host: string): string | null {
  const match = /^([a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?\.?|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i.exec(host)
  return match ? match[1]!.toLowerCase().replace(/\.$/, '') : null
}
