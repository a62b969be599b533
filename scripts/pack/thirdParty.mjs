// Files of other npm packages that @pit/devnet contains: compiled contracts of the real chain, from packages with
// 150 MB, and constants. Unchanged, with the licence of each, and NOTICE names them.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const ABOUT = [
  'package.json',
  'LICENSE',
  'LICENSE.md',
  'README.md',
  'licenses/BUSL_LICENSE',
  'licenses/MIT_LICENSE',
  'lib/permit2/LICENSE',
]

/** Packages with their licences and the files taken from them. */
export function thirdParty() {
  const packages = new Map()
  for (const [name, path] of filesOfPackages()) {
    const home = dirname(require.resolve(`${name}/package.json`))
    const { version, license, repository } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    const about = ABOUT.filter((file) => existsSync(join(home, file)))
    const own = packages.get(name) ?? {
      name,
      version,
      license,
      source: sourceOf(repository),
      home,
      about,
      files: [],
    }
    packages.set(name, { ...own, files: [...own.files, path] })
  }
  return [...packages.values()]
}

const sourceOf = ({ url }) => url.replace(/^git\+|\.git$/g, '')

/** `npmArtifacts.ts` names the files. */
function filesOfPackages() {
  const source = readFileSync('packages/devnet/src/deploy/npmArtifacts.ts', 'utf8')
  const named = [
    ...source.matchAll(/read\('([\w-]+)', (?:v3\('([\w/]+)'\)|v4\('([\w/-]+)'\)|'([^']+)')/g),
  ].map(([, name, v3, v4, path]) => {
    const last = (file) => `${file}.sol/${file.split('/').at(-1)}.json`
    if (v3) return [`@uniswap/${name}`, `artifacts/contracts/${last(v3)}`]
    return [`@uniswap/${name}`, v4 ? last(v4) : path]
  })
  return [
    ...named,
    ['@uniswap/v4-periphery', 'lib/permit2/test/utils/DeployPermit2.sol'],
    ['viem', 'constants/contracts.ts'],
  ]
}

export const noticeOf = (
  packages,
) => `@pit/devnet is under the MIT licence (LICENSE). It contains these files of other npm packages, unchanged, below
dist/npm/. Each keeps its own licence, which is beside it. The source code of its version is at the named address; most
packages have it too, on the registry where you got this one.

The devnet deploys these contracts on a local chain for development and tests. Packages under BUSL-1.1 allow that,
copies included, but no production use until their change date (v3-core: 1 April 2023, since then GPL-2.0-or-later;
v4-core: 15 June 2027 at the latest, then MIT). Nothing else of Pit contains or links to them.

${packages
  .map(
    ({ name, version, license, source, files, about }) =>
      `${name} ${version}: ${license} (${about.filter((file) => /LICENSE/.test(file)).join(', ')})\n  ${source}\n` +
      files.map((file) => `  ${file}\n`).join(''),
  )
  .join('\n')}`

export function copyThirdParty(folder) {
  const packages = thirdParty()
  for (const { name, home, files, about } of packages)
    for (const file of [...files, ...about]) {
      const to = join(folder, 'dist/npm', name, file)
      mkdirSync(dirname(to), { recursive: true })
      cpSync(join(home, file), to)
    }
  writeFileSync(join(folder, 'NOTICE'), noticeOf(packages))
}
