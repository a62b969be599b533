// Licences of the npm packages whose code is inside our bundles: each distribution carries their texts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const FILE = 'THIRD_PARTY_LICENSES'
/** Texts of packages that ship none, from their repositories. */
const OWN_COPIES = 'scripts/pack/licences'
const LICENCE = /^(licen[cs]e|copying|notice)\b/i
/** A package with other terms needs a decision first. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']

/** Folders of the packages of esbuild's outputs, without those of which not a byte is left. */
export const packagesOfOutputs = (outputs) =>
  packagesOf(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    ),
  )

/** Folders of the packages that have these files. */
export function packagesOf(files) {
  const folders = files.map((file) => /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort()
}

/** Packages in what the build made: these programs, the guide's script and the dashboard. */
export function packagesOfBuild(programs) {
  const stamps = JSON.parse(readFileSync('dist/.stamps.json', 'utf8'))
  const site = JSON.parse(readFileSync('dist/web/site.json', 'utf8'))
  return [...programs, 'guide'].flatMap((name) => stamps[name].packages).concat(site.packages)
}

/** Writes the file beside the bundles; throws if a text is missing. */
export const writeLicences = (folder, packages) => writeFileSync(join(folder, FILE), licencesOf(packages))

export function licencesOf(packages) {
  const sections = new Map()
  for (const folder of packages) {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const title = `${manifest.name} ${manifest.version}: ${manifest.license}`
    if (!sections.has(title)) sections.set(title, `${title}\n\n${textOf(folder, manifest)}`)
  }
  const titles = [...sections.keys()].sort()
  return (
    'The JavaScript files here contain code of these npm packages, each under its own licence.\n\n' +
    titles.map((title) => `${'='.repeat(80)}\n${sections.get(title)}`).join('\n')
  )
}

function textOf(folder, { name, version, license, repository }) {
  const about = `${name} ${version}, which is bundled,`
  if (!PERMISSIVE.includes(license))
    throw new Error(
      `${about} is licensed ${license}: remove it, or allow that licence in scripts/pack/licences.mjs.`,
    )
  const files = readdirSync(folder)
    .filter((file) => LICENCE.test(file))
    .sort()
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  if (texts.length === 0) texts.push(ofReadme(folder) ?? ownCopy(name))
  if (texts[0]) return `${texts.join('\n\n')}\n`
  const source = repository?.url ?? repository ?? 'its repository'
  throw new Error(`${about} ships no licence text: copy LICENSE of ${source} to ${pathOfCopy(name)}.`)
}

/** The README's section with the whole licence. */
function ofReadme(folder) {
  const file = readdirSync(folder).find((one) => /^readme\b/i.test(one))
  const text = file && readFileSync(join(folder, file), 'utf8')
  const section = text && /^#+ *licen[cs]e *\n([\s\S]*?)(?=^#|(?![\s\S]))/im.exec(text)?.[1].trim()
  return section && /permission .*is hereby granted/is.test(section) ? section : null
}

const pathOfCopy = (name) => `${OWN_COPIES}/${name.replace('/', '__')}.txt`
const ownCopy = (name) =>
  existsSync(pathOfCopy(name)) ? readFileSync(pathOfCopy(name), 'utf8').trim() : null
