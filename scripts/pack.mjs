// `npm run pack`: the npm packages as tarballs in dist/packages/. `node scripts/pack.mjs client,cli` packs those.
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { clientBytes, packClient } from './pack/clientPackage.mjs'
import { packCli } from './pack/cliPackage.mjs'
import { packDevnet } from './pack/devnetPackage.mjs'

const OUT = 'dist/packages'
const PACKERS = { client: packClient, cli: packCli, devnet: packDevnet }
const names = process.argv[2]?.split(',') ?? Object.keys(PACKERS)

if (process.argv[2] === undefined) rmSync(OUT, { recursive: true, force: true })
mkdirSync(OUT, { recursive: true })
for (const name of names) {
  const folder = `${OUT}/${name}`
  await PACKERS[name](folder)
  const out = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', '..'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ filename, unpackedSize, entryCount }] = JSON.parse(out)
  const kB = (bytes) => `${Math.round(bytes / 1000).toLocaleString('en')} kB`
  const packed = statSync(`${OUT}/${filename}`).size
  console.log(`${OUT}/${filename}: ${kB(packed)}, unpacked ${kB(unpackedSize)} in ${entryCount} files`)
}
if (names.includes('client')) {
  const [alone, whole] = [await clientBytes({ withViem: false }), await clientBytes({ withViem: true })]
  console.log(`client in a bundle, gzipped: ${alone / 1000} kB without viem, ${whole / 1000} kB with it`)
}
