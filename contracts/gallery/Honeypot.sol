// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Can be bought and passed on, and sold by its owner alone.
contract Honeypot is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    error NotToday();

    function _move(address from, address to, uint256 value) internal override {
        if (isMarket[to] && from != owner) revert NotToday();
        super._move(from, to, value);
    }
}
