// Writes the bill of materials (CycloneDX) of what is shipped: the production dependencies of the lock file.
// `node scripts/sbom.mjs <file>`. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const DEVELOPMENT = 'cdx:npm:package:development'

export function createSbom() {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const sbom = JSON.parse(text)
  // `--omit dev` would also omit viem, which tests need directly and packages ship.
  const isShipped = ({ properties = [] }) => !properties.some(({ name: one }) => one === DEVELOPMENT)
  sbom.components = sbom.components.filter(isShipped)
  const shipped = new Set(sbom.components.map((component) => component['bom-ref']))
  const root = sbom.metadata.component['bom-ref']
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => ref === root || shipped.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => shipped.has(one)) }))
  // npm names the root after the folder, and adds the time and a random number.
  sbom.metadata.component.name = name
  delete sbom.metadata.timestamp
  const hex = createHash('sha256')
    .update(`${name} ${version} `)
    .update(readFileSync('package-lock.json'))
    .digest('hex')
  const uuid = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ]
  sbom.serialNumber = `urn:uuid:${uuid.join('-')}`
  return `${JSON.stringify(sbom, null, 2)}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , file] = process.argv
  if (file === undefined) {
    console.error('usage: node scripts/sbom.mjs <file>')
    process.exit(1)
  }
  writeFileSync(file, createSbom())
}
