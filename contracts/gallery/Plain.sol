// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Nothing wrong with it: the others are measured against this one.
contract Plain is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}
}
