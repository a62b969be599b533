export { parseSanctions, SanctionsFileError } from './parseSanctions.ts'
export { openSanctions, type Sanctions } from './sanctions.ts'
export { watchSanctions } from './watchSanctions.ts'
