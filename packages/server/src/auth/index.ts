export { changeDivision, divisionOf } from './divisions.ts'
export { openAuth } from './openAuth.ts'
