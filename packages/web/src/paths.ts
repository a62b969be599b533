import { trimEnd } from '@pit/protocol'

/** All page paths; the server serves the dashboard at these only. */
export const PAGES = [
  '/',
  '/status',
  '/tokens',
  '/tokens/:address',
  '/league',
  '/league/:season',
  '/treasury',
  '/trade',
  '/portfolio',
  '/sessions',
  '/agents',
  '/agents/:id',
  '/activity',
  '/keys',
  '/wallet',
  '/tx/:hash',
] as const
export type PagePath = (typeof PAGES)[number]

export interface Found {
  page: PagePath
  params: Readonly<Record<string, string>>
}

/** The page of a path, literal paths first; null if there is none. */
export function findPage(path: string): Found | null {
  const parts = path === '/' ? [''] : trimEnd(path, '/').slice(1).split('/')
  for (const page of PAGES) {
    const segments = page.slice(1).split('/')
    if (segments.length !== parts.length) continue
    const params: Record<string, string> = {}
    const fits = segments.every((segment, i) => {
      if (!segment.startsWith(':')) return segment === parts[i]
      params[segment.slice(1)] = decoded(parts[i]!)
      return parts[i] !== ''
    })
    if (fits) return { page, params }
  }
  return null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
