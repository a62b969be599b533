// Fails when an import crosses the house's walls: which package may import which, and what stays pure.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What each package may import of ours; e2e, bench and scripts may import all. */
const MAY_IMPORT = {
  protocol: [],
  chain: ['protocol'],
  brains: ['protocol'],
  league: ['protocol', 'chain'],
  platform: ['protocol', 'chain'],
  server: ['protocol', 'chain', 'brains', 'league', 'platform'],
  signer: ['protocol', 'chain', 'platform'],
  client: ['protocol', 'chain'],
  // Of the server only its operator's face: what `pit-admin` does to a running store.
  cli: ['protocol', 'chain', 'brains', 'league', 'platform', 'server', 'client'],
  web: ['protocol', 'chain', 'client'],
  devnet: ['protocol', 'chain'],
}
/** Packages that run in a browser: nothing of Node in what they ship. */
const PURE = new Set(['protocol', 'chain', 'brains', 'league'])
/** The only files that may read process.env. */
const ENV_READERS =
  /^(packages\/[^/]+\/src\/(config|main)\.ts|scripts\/|e2e\/|bench\/|.*\.test\.ts$|packages\/[^/]+\/test\/)/

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)
const problems = []

for (const file of files) {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    continue
  }
  const own = /^packages\/([^/]+)\//.exec(file)?.[1]
  const isTest = /\.test\.ts$|\/test\//.test(file)
  if (/process\.env/.test(text) && !ENV_READERS.test(file)) {
    problems.push(`${file}: reads process.env; only config.ts may`)
  }
  if (!own) continue
  for (const match of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
    const target = match[1]
    if (target.startsWith('node:') && PURE.has(own) && !isTest) {
      problems.push(`${file}: ${own} runs in a browser and may not import ${target}`)
    }
    const pkg = /^@pit\/([^/]+)/.exec(target)?.[1]
    if (pkg && !(MAY_IMPORT[own] ?? []).includes(pkg))
      problems.push(`${file}: ${own} may not import @pit/${pkg}`)
    if (target.startsWith('.')) {
      const landed = normalize(join(dirname(file), target))
      if (!landed.startsWith(`packages/${own}/`))
        problems.push(`${file}: reaches out of its package to ${target}`)
      const from = /\/features\/([^/]+)\//.exec(file)?.[1]
      const to = /\/features\/([^/]+)\/(.+)$/.exec(landed)
      if (from && to && to[1] !== from && to[2] !== 'index.ts') {
        problems.push(`${file}: enter features/${to[1]} by its index.ts, not ${to[2]}`)
      }
    }
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
