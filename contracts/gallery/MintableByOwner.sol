// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Its owner can print more of it at any time.
contract MintableByOwner is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function mint(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }
}
